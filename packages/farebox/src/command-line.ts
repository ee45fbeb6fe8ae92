// The door for `@farebox/cli` and for what runs agents: how the runtime reads, loads, refuses and explains.

export { redactorOf } from './environment/redact-secrets.ts'
export { EnvironmentError, type EnvironmentProblem } from './environment/environment-error.ts'
export { readEnvironment, type Environment, type Variables } from './environment/read-environment.ts'
export { DotEnvError, readDotEnv, type DotEnv } from './environment/read-dot-env.ts'
export { ConfigError, readConfig, type ConfigProblem } from './config/read-config.ts'
export { parseConfig } from './config/parse-config.ts'
export { explainConfigError } from './config/explain-config-error.ts'
export {
  findHandlers,
  handlerPlaces,
  HandlersError,
  HandlersMissing,
  loadHandlers,
} from './loading/load-handlers.ts'
export { explainMismatch } from './loading/load-matching-handlers.ts'
export { explainListenError } from './invocation/explain-listen-error.ts'
export { launcherGone } from './serving/launcher-gone.ts'
export { explainFailure, exitCodeOf } from './invocation/explain-failure.ts'
export { RUNTIME_COMMANDS, type RuntimeCommand } from './commands/runtime-commands.ts'
export type { CommandScreen, CommandWorld } from './invocation/command-world.ts'
export { ExplainedError } from './explained-error.ts'
export type { Paint } from './paint.ts'
export { describeTakenPort, findPortOwner } from './agent/port-owner.ts'
export { readProcess, type ProcessDescription } from './read-process.ts'
