import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import type { Bench, Row } from '../report/bench.ts'
import { payFirstJob, signIn } from '../web/act-in-browser.ts'
import { startChromium } from '../web/chromium.ts'
import { rateByLighthouse } from '../web/lighthouse.ts'
import { startLocalEconomy } from '../web/local-economy.ts'
import { measureServerTime } from '../web/server-time.ts'
import { measureSizes } from '../web/sizes.ts'
import type { Stage } from '../stage/stage.ts'

/** The built pages: the weight of the first one, Lighthouse's scores, and the platform's time for a page. */
export const web: Bench = {
  name: 'web',
  isLong: true,
  async run(stage) {
    const inBrowser = await measureInBrowser(stage)
    await stage.strike()
    return [...inBrowser, ...(await measureServerTime(stage))]
  },
}

async function measureInBrowser(stage: Stage): Promise<readonly Row[]> {
  stage.tell('npm start')
  const url = await startLocalEconomy(stage)
  const chromium = await startChromium(stage)
  stage.tell('sizes')
  const sizes = await measureSizes(chromium, url)
  stage.tell('the first job')
  const { agentId, jobId } = await payFirstJob(chromium.context, url)
  // The first example's owner.
  await signIn(chromium.context, url, TEST_KEYS.agent.privateKey)
  const pages = [
    { name: 'marketplace', path: '/', isPublic: true },
    { name: 'agent', path: `/agents/${agentId}`, isPublic: true },
    { name: 'job', path: `/jobs/${jobId}`, isPublic: false },
    { name: 'your agents', path: '/owner', isPublic: false },
  ]
  return [...sizes, ...(await rateByLighthouse(stage, chromium, url, pages))]
}
