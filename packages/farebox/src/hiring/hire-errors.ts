import { isServiceError } from '@farebox/protocol/errors/service-errors'
import type { ErrorType } from '@farebox/protocol/errors/error-types'
import { HireError, isHireError, type HireFailure, type HireProblem } from '../handler/hire-error.ts'

/** Makes the error of a failed hire. */
export function hireError(
  problem: HireProblem,
  agent: string,
  charged: HireFailure['charged'],
  message: string,
  options: { readonly childErrorType?: ErrorType; readonly cause?: unknown } = {},
): HireError {
  const { childErrorType, cause } = options
  return new HireError(message, { problem, agent, charged, childErrorType }, { cause })
}

/** Converts an error from before a payment was signed into the error that the handler gets. */
export function unsignedError(agent: string, error: unknown): unknown {
  if (isHireError(error) || !(error instanceof Error)) return error
  const cannot = `cannot hire ${agent}: ${error.message}`
  const cause = error
  // The hired agent reported the error, or the client found that the agent has no such capability.
  if (isServiceError(error))
    return hireError('failed', agent, 'no', cannot, { childErrorType: error.errorType, cause })
  if (error.name === 'QuoteRefused') return hireError('refused', agent, 'no', cannot, { cause })
  if (error.name === 'AgentUnreachable' || error.name === 'UnusableAnswer')
    return hireError('unreachable', agent, 'no', cannot, { cause })
  if (error instanceof TypeError || error instanceof RangeError)
    return hireError('arguments', agent, 'no', cannot, { cause })
  return error
}
