import type { DashboardAgent } from '@farebox/platform-api/me/owner-dashboard'

/** Where an agent stands, in a word or two. Undefined: it is listed, and how it answers says more. */
export function describeStanding(standing: DashboardAgent['standing']): string | undefined {
  switch (standing) {
    case 'listed':
    case 'provisional':
      return undefined
    case 'waiting':
      return 'Not checked yet'
    case 'refused':
      return 'Refused'
    case 'taken-down':
      return 'Taken down'
    case 'deregistered':
      return 'Deregistered'
  }
}
