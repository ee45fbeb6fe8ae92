import type { Clock } from '@farebox/protocol/time/clock'
import type { Environment } from '../environment/read-environment.ts'
import { refuseHiring, type Hiring, type JobHiring } from '../handler/job-hiring.ts'
import type { OpenJobStore } from '../jobs/job-store.ts'
import type { Log } from '../log.ts'

/**
 * Opens hiring. With a private key it is opened at the start, so that the key is checked; in dev mode it is opened with
 * the first hire, because few agents hire. Throws when the key is invalid.
 */
export async function openHiringOf(
  environment: Environment,
  { accounts }: OpenJobStore,
  parts: { readonly clock: Clock; readonly log: Log },
): Promise<Hiring> {
  const { hiring: settings, devMode } = environment
  if (settings === undefined && !devMode) return refuseHiring('HIRING_PRIVATE_KEY is not set')
  if (accounts === undefined) return refuseHiring('the job store of this agent keeps no accounts')
  const open = async (): Promise<Hiring> => {
    const { openHiring } = await import('../hiring/open-hiring.ts')
    return await openHiring(environment, { ...parts, accounts })
  }
  if (settings !== undefined) return await open()
  let opened: Promise<Hiring> | undefined
  return {
    forJob(job) {
      let ofJob: Promise<JobHiring> | undefined
      const load = (): Promise<JobHiring> => (ofJob ??= (opened ??= open()).then(one => one.forJob(job)))
      return {
        hire: async request => await (await load()).hire(request),
        budget: async () => await (await load()).budget(),
        settled: async () => await (await ofJob)?.settled(),
      }
    },
  }
}
