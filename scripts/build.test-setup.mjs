// Before any test: programs and pages under test are started as they are built, so the build is brought up to date.

import { buildToRun } from './prepare.mjs'

export { buildToRun as setup }
