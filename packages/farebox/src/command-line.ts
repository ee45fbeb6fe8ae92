// The entry point for `@farebox/cli` and for programs that run agents: reading and loading of files, and explained
// errors.

export { redactorOf } from './environment/environment-redactor.ts'
export { readDotEnv } from './environment/read-dot-env.ts'
export { ConfigError, readConfig } from './config/read-config.ts'
export { findHandlers, handlerPlaces, HandlersMissing, loadHandlers } from './loading/load-handlers.ts'
export { explainMismatch } from './loading/load-matching-handlers.ts'
export { explainListenError } from './invocation/explain-listen-error.ts'
export { launcherGone } from './serving/launcher-gone.ts'
export { explainFailure } from './invocation/explain-failure.ts'
export { ExplainedError } from './explained-error.ts'
export { describeTakenPort, findPortOwner } from './agent/port-owner.ts'
export { readProcess, type ProcessDescription } from './read-process.ts'
