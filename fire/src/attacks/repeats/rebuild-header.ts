import type { Score } from '../../battery.ts'
import type { Attack } from '../attack.ts'
import { playScene, send } from '../stage/paid-scene.ts'

/**
 * A settled authorization is public, signature included. Who knows a job_id rebuilds the header from the chain and asks
 * for the stored output; or shows any other settled authorization of the same payer.
 */
export const rebuildHeader: Attack = {
  name: 'a paid output read with a header rebuilt from the chain',
  before: '2 of 2 rebuilt headers got the output, and 2 of 2 of another job of that payer (small form)',
  run: async ({ size }) =>
    await playScene(async scene => {
      const url = await scene.hire({ name: 'agent', store: 'memory:' })
      const jobs = size === 'small' ? 2 : 10
      let rebuiltRead = 0
      let otherRead = 0
      let ownRead = 0
      for (let job = 0; job < jobs; job += 1) {
        const [victim, other] = [await scene.sign(url), await scene.sign(url)]
        for (const paid of [victim, other]) {
          const answer = await send(url, paid)
          if (answer.status !== 200)
            throw new Error(`a paid job was answered ${answer.status} ${answer.body}`)
        }
        if (isOutput(await send(url, { ...victim, header: asOnChain(victim.header) }))) rebuiltRead += 1
        if (isOutput(await send(url, { ...victim, header: asOnChain(other.header) }))) otherRead += 1
        if (isOutput(await send(url, victim))) ownRead += 1
      }
      return [
        score('rebuilt from its own settled authorization', rebuiltRead, 0, jobs),
        score('with another settled authorization of the payer', otherRead, 0, jobs),
        score('by the payer, with the header as it was sent', ownRead, jobs, jobs),
      ]
    }),
}

function score(test: string, read: number, wanted: number, jobs: number): Score {
  return {
    test,
    reached: `${read} of ${jobs} outputs`,
    target: `${wanted} of ${jobs}`,
    isMet: read === wanted,
  }
}

function isOutput({ status, body }: { readonly status: number; readonly body: string }): boolean {
  return status === 200 && body.includes('sesame')
}

/** Authorization and signature: the calldata of the settlement has them, and nothing else of the header. */
function asOnChain(header: string): string {
  const { extensions: _, ...envelope } = JSON.parse(Buffer.from(header, 'base64').toString()) as {
    readonly extensions?: unknown
  }
  return Buffer.from(JSON.stringify(envelope)).toString('base64')
}
