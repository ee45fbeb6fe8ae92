export { createFakeClock, type FakeClock } from './fake-clock.ts'
export {
  createFakeGate,
  type FakeGate,
  type GateCounts,
  type SettleFault,
  type VerifyFault,
} from './fake-gate.ts'
export {
  createTestAgent,
  type CallOptions,
  type CapabilityName,
  type TestAgent,
  type TestAgentOptions,
} from './test-agent.ts'
export type { AgentMode } from './conformance/agent-mode.ts'
export type { Check, Knowledge, Needs } from './conformance/check.ts'
export type { Missing } from './conformance/verdicts.ts'
export type { KnownAgent, Payer } from './conformance/context.ts'
export { createFixtureHandlers } from './conformance/fixture-agent.ts'
export { fixtureDeclaration } from './conformance/fixture-declaration.ts'
export { serveFixture, type FixtureAgent } from './conformance/serve-fixture.ts'
export {
  countResults,
  formatArea,
  formatFailed,
  formatReport,
  formatSummary,
  PLAIN_STYLE,
  type ReportStyle,
} from './conformance/format-report.ts'
export { refuseTerms } from './conformance/refuse-terms.ts'
export { areaOf, listChecks } from './conformance/list-checks.ts'
export {
  runConformance,
  startRun,
  type CheckResult,
  type ConformanceOptions,
  type ConformanceRun,
} from './conformance/run-conformance.ts'
export type { FetchLike } from './conformance/send-request.ts'
export type { Spending } from './conformance/spending.ts'
export type { Terms } from './conformance/terms.ts'
