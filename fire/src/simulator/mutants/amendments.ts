import type { Mutant } from './mutant.ts'

/**
 * The opposite of mutants: what would close breaches that the simulator has found in the sources as they are, so
 * that those do not hide others. One that no longer fits is to be taken out: the sources have been mended, or
 * have changed.
 */
export const AMENDMENTS: readonly Mutant[] = [
  {
    name: 'look-again-before-refusing',
    breaks:
      'a repeat is answered 500 while its record cannot be read, and 408 or 402 by what was looked up too early, ' +
      'or while whoever held the job may still save and charge',
    edits: [
      {
        file: 'packages/farebox/src/execute/pipeline.ts',
        find: '    return await serveOrder(service, arrived, order, payment)\n',
        replace: `    for (;;) {
      try {
        return await serveOrder(service, arrived, order, payment)
      } catch (refusal) {
        if (payment === undefined) throw refusal
        try {
          if (refusal instanceof Error && refusal.name === 'PortFailed') return answerPending(order.jobId)
          const again = await findRepeat(service, order, payment)
          if (again !== undefined) return again
          if ((await service.jobs.read(order.jobKey)) === undefined) throw refusal
          const holder = { jobKey: order.jobKey, fence: \`refusal of \${service.clock.nowMs()}\` }
          const job = { version: 1, state: 'running', payer: payment.payer, deadlineMs: 0, overran: false } as const
          const taken = await service.jobs.claim({ ...holder, leaseMs: 1_000, keepMs: 600_000, job })
          if (taken.kind !== 'claimed') continue
          const left = taken.job
          await service.jobs.write(
            holder,
            left.state === 'running' ? { kind: 'forget' } : { kind: 'leave', job: left, sealed: false, keepMs: 600_000 },
          )
          if (left.state === 'saved') continue
        } catch (error) {
          if (error instanceof Error && error.name === 'PortFailed') return answerPending(order.jobId)
          throw error
        }
        throw refusal
      }
    }
`,
      },
    ],
  },
  {
    name: 'lowest-free-nonce',
    breaks:
      'a nonce that no transaction has any more is never filled, and all that come after it wait for ever',
    edits: [
      {
        file: 'packages/facilitator/src/chain/run-round.ts',
        find: `  const open = [...turn.following.values()].map(one => one.nonce + 1)
  return Math.max(await node.nonce(relayer.address), ...open)
`,
        replace: `  let nonce = await node.nonce(relayer.address)
  for (const open = new Set([...turn.following.values()].map(one => one.nonce)); open.has(nonce); ) nonce += 1
  return nonce
`,
      },
    ],
  },
  {
    name: 'failed-only-when-final',
    breaks: 'a payment that transactions of ours carry is called failed while one of them may still be mined',
    edits: [
      {
        file: 'packages/facilitator/src/chain/plan-settlement.ts',
        find: `      const decision = await decide(reader, network, payment, observation)
`,
        replace: `      const decided = await decide(reader, network, payment, observation)
      const final = Number(payment.authorization.validBefore) + network.finalitySeconds
      const isDoubtful = payment.attempts > 0 && observation.blockSeconds <= final
      const decision = typeof decided === 'object' && decided.to === 'failed' && isDoubtful ? 'later' : decided
`,
      },
    ],
  },
]
