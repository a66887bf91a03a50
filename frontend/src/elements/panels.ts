/** The panels below the list of findings: a file of its own, so that the first paint does not wait for them. */

import './allreduce.js';
import './hosts.js';
import './input.js';
import './memory.js';
import './ops.js';
import './phases.js';
import './steps.js';
import './training.js';
import './what_if.js';
