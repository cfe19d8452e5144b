"""Texts in scripts that pdfLaTeX has no glyphs for, and the LaTeX that prints them in others.

`\\otherscript{Arabic}{...}` takes the first font of a list that the machine has. If it has none, or
under pdfLaTeX, the script's name replaces the text: no glyph is dropped silently.
"""

import unicodedata

JOINERS = "\u200c\u200d"  # between letters of Persian or Hindi; without them words read otherwise
_OF_CJK = ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "BOPOMOFO", "IDEOGRAPHIC")
_SAME = dict.fromkeys((*_OF_CJK, "FULLWIDTH", "HALFWIDTH"), "CJK")
# Numbers.tex holds these before all names of numbers; a paper may name fonts of its own before it.
COMMANDS = r"""\ifdefined\pdftexversion
  \providecommand{\otherscript}[2]{[#1 script: use XeLaTeX]}
\else
  \providecommand{\QuaestorFonts}[2]{%
    \@ifundefined{quaestor@fonts@#1}{\expandafter\gdef\csname quaestor@fonts@#1\endcsname{#2}}{}}
  \QuaestorFonts{CJK}{Noto Serif CJK SC,Noto Sans CJK SC,Source Han Serif SC,Songti SC,SimSun}
  \QuaestorFonts{Hangul}{Noto Serif CJK KR,Noto Sans CJK KR,AppleMyungjo,Batang}
  \QuaestorFonts{Arabic}{Noto Naskh Arabic,Noto Sans Arabic,Amiri,Geeza Pro,Arial}
  \QuaestorFonts{Hebrew}{Noto Serif Hebrew,Noto Sans Hebrew,Arial Hebrew,Arial}
  \QuaestorFonts{Latin}{Noto Serif,DejaVu Serif,Times New Roman}
  \QuaestorFonts{Greek}{Noto Serif,DejaVu Serif,Times New Roman}
  \QuaestorFonts{Cyrillic}{Noto Serif,DejaVu Serif,Times New Roman}
  \QuaestorFonts{Symbols}{Noto Sans Symbols2,Noto Sans Symbols,Noto Emoji,DejaVu Sans,Apple Symbols}
  \providecommand{\quaestor@find}[1]{%
    \global\expandafter\let\csname quaestor@found@#1\endcsname\@empty
    \@ifundefined{quaestor@fonts@#1}{\def\quaestor@list{Noto Serif #1,Noto Sans #1,FreeSerif}}%
      {\expandafter\let\expandafter\quaestor@list\csname quaestor@fonts@#1\endcsname}%
    \@for\quaestor@each:=\quaestor@list\do{%
      \expandafter\ifx\csname quaestor@found@#1\endcsname\@empty
        \IfFontExistsTF{\quaestor@each}%
          {\expandafter\xdef\csname quaestor@found@#1\endcsname{\quaestor@each}}{}%
      \fi}}
  \providecommand{\quaestor@turned}[2]{\fontspec{\csname quaestor@found@#1\endcsname}[Script=#1]%
    \ifdefined\XeTeXversion \TeXXeTstate=1 \beginR #2\endR \else \bgroup\textdir TRT #2\egroup\fi}
  \providecommand{\quaestor@set}[2]{\def\quaestor@script{#1}%
    \ifx\quaestor@script\quaestor@arabic \quaestor@turned{#1}{#2}\else
    \ifx\quaestor@script\quaestor@hebrew \quaestor@turned{#1}{#2}\else
      \fontspec{\csname quaestor@found@#1\endcsname}#2\fi\fi}
  \def\quaestor@arabic{Arabic}
  \def\quaestor@hebrew{Hebrew}
  \ifdefined\otherscript\else
  \DeclareRobustCommand{\otherscript}[2]{%
    \ifdefined\IfFontExistsTF
      \@ifundefined{quaestor@found@#1}{\quaestor@find{#1}}{}%
      \expandafter\ifx\csname quaestor@found@#1\endcsname\@empty
        [#1 script: no font of \string\QuaestorFonts\{#1\} is installed]%
      \else
        {\quaestor@set{#1}{#2}}%
      \fi
    \else [#1 script: load fontspec]\fi}
  \fi
\fi
"""


def script_of(character: str) -> str:
    """Return the script of a letter, by which fonts are named; an empty string for signs that all
    scripts share."""
    if not character.isalpha():
        category = unicodedata.category(character)
        return "Symbols" if category.startswith("S") else ""
    name = unicodedata.name(character, "SYMBOLS").split()[0]
    return _SAME.get(name, name.capitalize())


def glyph_commands(run: str) -> str:
    """Return a run of letters and signs that pdfLaTeX has no glyphs for, a command for each
    script."""
    pieces: list[tuple[str, str]] = []
    for character in run:
        script = script_of(character)
        before = pieces[-1][0] if pieces else ""
        if pieces and (not script or not before or script == before):
            pieces[-1] = before or script, pieces[-1][1] + character
        else:
            pieces.append((script, character))
    # a space at the end goes outside: inside it would precede text that is read from the right
    return "".join(
        rf"\otherscript{{{script or 'Symbols'}}}{{{text.rstrip()}}}" + text[len(text.rstrip()) :]
        for script, text in pieces
    )
