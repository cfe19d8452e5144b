from analysis.reports.rscript import mixed_model_script


def test_script_names_every_criterion_and_keeps_r_s_braces():
    script = mixed_model_script(["relevance", "variety"])
    assert 'for (criterion in c("relevance", "variety")) {' in script
    assert "clmm(value ~ system + (1 | rater) + (1 | source_id), data = rows)" in script
    assert "{{" not in script
