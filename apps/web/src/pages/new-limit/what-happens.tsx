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
    'From the next block on the agent may move that much and no more. The contract checks it, each time.',
    'USDC stays in your wallet until it is spent. You can change or revoke the limit at any time, with one transaction.',
  ]
  if (kind === 'test')
    return ['The test wallet signs and sends it by itself: nothing asks you, and gas is test ether.', ...end]
  const way = planned?.change.way
  const prompts = planned === undefined ? undefined : countPrompts(planned.change)
  if (way === 'none' || prompts === 1)
    return ['Your wallet asks once: for the transaction that sets the limits. It shows the gas.', ...end]
  if (way === 'approve first')
    return [
      'Your wallet asks twice: for the approval, then for the limits. It shows the gas of both.',
      'If you stop between them nothing can be spent: this page goes on with what is missing.',
      ...end,
    ]
  if (way === 'approve last')
    return [
      'Your wallet asks twice: for the lower limits, then for the smaller approval. It shows the gas of both.',
      'If you stop between them the lower limits hold already.',
      ...end,
    ]
  return [
    'Your wallet asks twice: to sign the approval, which costs nothing, and for the one transaction that sets both. It shows the gas.',
    ...end,
  ]
}
