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
