import { compatible, type Compatibility } from '@farebox/protocol/compatibility/compatible'
import type { PortType } from './ports.ts'

/** How what a port gives suits what another takes, and why, for people. */
export function gradeTypes(output: PortType, input: PortType): Compatibility {
  if (input === 'any') return { grade: 'same', reason: 'passes as it is' }
  if (output === 'any')
    return { grade: 'lossy', reason: 'can fail at run time: what comes is only known when it runs' }
  return compatible(output, input)
}
