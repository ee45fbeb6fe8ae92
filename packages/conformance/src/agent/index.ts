export type { Clock } from '@farebox/protocol/time/clock'
export { describeMode } from '../report/describe-mode.ts'
export { describeSpending } from '../report/describe-spending.ts'
export {
  countResults,
  formatArea,
  formatFailed,
  formatReport,
  formatSummary,
  PLAIN_STYLE,
  type ReportStyle,
} from '../report/format-report.ts'
export type { AgentMode } from './check/agent-mode.ts'
export type { Check, Knowledge, Needs } from './check/check.ts'
export type { KnownAgent, Payer } from './check/context.ts'
export { isForUnknownAgent } from './check/is-for-unknown-agent.ts'
export { refuseTerms } from './check/refuse-terms.ts'
export type { ScriptedGate } from './check/scripted-gate.ts'
export type { Terms } from './check/terms.ts'
export type { FetchLike } from './exchange/send-request.ts'
export { errorCode, whyUnreachable } from './exchange/why-unreachable.ts'
export type { Missing } from './exchange/verdicts.ts'
export { fixtureDeclaration } from './fixture/fixture-declaration.ts'
export { createFixtureHandlers, type FixtureHandlers } from './fixture/fixture-handlers.ts'
export { areaOf, listChecks } from './run/list-checks.ts'
export { putChecks, type Findings, type PutOptions, type Stop } from './run/put-checks.ts'
export {
  runConformance,
  startRun,
  type CheckResult,
  type ConformanceOptions,
  type ConformanceRun,
} from './run/run-conformance.ts'
export type { Spending } from './run/spending.ts'
