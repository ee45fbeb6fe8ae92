export { createAgent, DeclarationError, type Agent, type AgentOptions, type AgentPorts } from './create-agent.ts'
export { defineAgent } from './define-agent.ts'
export type { Handler, HandlerOf, HandlersOf, JobContext } from './handlers.ts'
export { EnvironmentError, type Environment, type Variables } from './config/read-environment.ts'
export { readConfig, ConfigError } from './config/read-config.ts'
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
