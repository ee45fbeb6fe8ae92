export { createAgent, type Agent, type AgentOptions, type AgentPorts } from './agent/create-agent.ts'
export { defineAgent } from './define-agent.ts'
export { DeclarationError } from './agent/serve-declaration.ts'
export type {
  Handler,
  HandlerOf,
  HandlersOf,
  HireBudget,
  Hired,
  HireOptions,
  JobContext,
  SpendOrder,
  Spent,
} from './handlers.ts'
export { HireError, isHireError, type HireProblem } from './handler/hire-error.ts'
export type { HandlersModule } from './agent/host-handlers.ts'
export { EnvironmentError, type EnvironmentProblem } from './environment/environment-error.ts'
export type { Environment, Isolation, Variables } from './environment/read-environment.ts'
export { readConfig, ConfigError, type ConfigProblem } from './config/read-config.ts'
export {
  CapabilityError,
  DeadlineError,
  InternalError,
  isServiceError,
  PaymentError,
  ServiceError,
  ValidationError,
} from '@farebox/protocol/errors/service-errors'
export type { Capability, Declaration, Permission, Pricing } from '@farebox/protocol/declaration/declaration'
export type { Field, FieldMap, FieldType, JsonObject, JsonValue } from '@farebox/protocol/fields/field'
export { openJobStore } from './jobs/open-job-store.ts'
export type { EnterOutcome, Entry, EntryChange, JobAccounts, SumBound, Totals } from './jobs/job-accounts.ts'
export type {
  ClaimOutcome,
  Holder,
  JobChange,
  JobClaim,
  JobStore,
  OpenJobStore,
  StoredJob,
} from './jobs/job-store.ts'
export type { Job, RecordedPayment, RunningJob, SavedJob, SettledJob, UnpaidJob } from './jobs/job.ts'
export type { PaymentGate, VerifyTerms } from './payment-gate/payment-gate.ts'
export { systemClock, type Clock } from '@farebox/protocol/time/clock'
export { createLog, type Log, type LogFields, type LogFormat } from './log.ts'
