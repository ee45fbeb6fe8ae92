// A worker of the platform: drives runs, and the jobs that they order.

import { startJobs } from '@farebox/platform/src/jobs/drive/start-jobs'
import { startRuns } from '@farebox/platform/src/runs/drive/start-runs'
import { closeParts, openParts } from './platform-parts.ts'
import { workWhenTold } from './worker-messages.ts'

const parts = await openParts(process.env['DATABASE_URL'] ?? '', process.env['DATABASE_SCHEMA'] ?? '')

await workWhenTold(async () => {
  const work = [startJobs(parts), startRuns(parts)]
  return await Promise.resolve({
    async stop() {
      await Promise.all(work.map(one => one.stop()))
      await closeParts(parts)
    },
  })
})
