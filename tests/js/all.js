// All unit tests of the judging page's scripts in one process: starting one for each file takes longer than the tests.

import "./forcing.test.js";
import "./here.test.js";
import "./keyboard.test.js";
import "./numbers.test.js";
import "./passage.test.js";
import "./pointer.test.js";
import "./protocol-editor.test.js";
import "./resting.test.js";
import "./saving.test.js";
import "./spans.test.js";
import "./tabs.test.js";
import "./unsaved.test.js";
import "./waiting.test.js";
