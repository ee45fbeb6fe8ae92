import type { Finding } from '@farebox/flows/internal/check/finding'

/** The title of a finding, shown in bold above its text. */
export function titleFinding({ id, port }: Finding): string {
  const [rule = ''] = id.split(' ')
  const named = port === undefined ? undefined : `“${port}”`
  switch (rule) {
    case 'gone':
      return 'The capability is no longer available'
    case 'unreachable':
      return 'The agent is not responding'
    case 'offline':
      return 'The agent is offline'
    case 'closed':
      return 'The agent is not accepting jobs'
    case 'dearer':
      return 'The price has gone up'
    case 'changed':
      return 'The capability has changed'
    case 'permission':
      return 'This step moves your tokens'
    case 'balance':
      return 'Not enough USDC in the wallet'
    case 'empty':
      return 'Nothing to run yet'
    case 'circle':
      return 'Steps wait for each other in a loop'
    case 'jobs':
      return 'Too many jobs'
    case 'unused':
      return 'The result is not used'
    case 'idle':
      return 'This step has no effect'
    case 'settings':
      return 'The settings are not valid'
    case 'after':
      return 'This step waits for a missing output'
    case 'unfed':
      return `${named ?? 'An input'} has no source`
    case 'optional':
      return `${named ?? 'An input'} may be missing`
    case 'constant':
      return `The value of ${named ?? 'an input'} is not accepted`
    case 'stray':
      return `${named ?? 'An input'} no longer exists`
    case 'second-wire':
    case 'wire-and-constant':
      return `${named ?? 'An input'} has two sources`
    case 'broken':
      return `The wire to ${named ?? 'an input'} is broken`
    case 'lossy':
      return `${named ?? 'An input'} may be rejected`
    case 'impossible':
      return `${named ?? 'An input'} is not compatible`
    default:
      return 'Worth knowing'
  }
}
