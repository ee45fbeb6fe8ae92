import type { ReactNode } from 'react'
import { countPrompts } from '../../limits/plan-change.ts'
import { usePurse } from '../../purse/purse-context.ts'
import type { NewLimit } from './use-new-limit.ts'

/** What a wallet asks for, said before it asks. */
export function WhatHappens({ limit }: { readonly limit: NewLimit }): ReactNode {
  return (
    <section>
      <div className="heading">
        <h2>Next steps</h2>
      </div>
      <ol className="happens">
        {stepsOf(limit, usePurse().wallet?.kind).map(step => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </section>
  )
}

function stepsOf({ planned }: NewLimit, kind: 'test' | 'browser' | undefined): readonly string[] {
  const end = [
    'From the next block on, the agent may move that amount and no more. The contract checks every transfer.',
    'USDC stays in your wallet until it is spent. You can change or revoke the limit at any time with one transaction.',
  ]
  if (kind === 'test')
    return ['The test wallet signs and sends it without asking you. Gas is test ether.', ...end]
  const way = planned?.change.way
  const prompts = planned === undefined ? undefined : countPrompts(planned.change)
  if (way === 'none' || prompts === 1)
    return ['Your wallet asks once: for the transaction that sets the limits. It shows the gas.', ...end]
  if (way === 'approve first')
    return [
      'Your wallet asks twice: for the approval, then for the limits. It shows the gas of both.',
      'If you stop in between, nothing can be spent. This page resumes with the missing step.',
      ...end,
    ]
  if (way === 'approve last')
    return [
      'Your wallet asks twice: for the lower limits, then for the smaller approval. It shows the gas of both.',
      'If you stop in between, the lower limits already apply.',
      ...end,
    ]
  return [
    'Your wallet asks twice: to sign the approval, which costs nothing, and for the one transaction that sets both. It shows the gas.',
    ...end,
  ]
}
