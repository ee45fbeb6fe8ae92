import type { ReactNode } from 'react'
import { countPrompts } from '../../limits/plan-change.ts'
import { Heading } from '../../parts/page/heading.tsx'
import { usePurse } from '../../purse/purse-context.ts'
import type { NewLimit } from './use-new-limit.ts'

/** The wallet's prompts, listed before the wallet shows them. */
export function WhatHappens({ limit }: { readonly limit: NewLimit }): ReactNode {
  return (
    <section>
      <Heading>Next steps</Heading>
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
    'From the next block on, the agent can spend up to that amount and no more. The contract checks every transfer.',
    'Your USDC stays in your wallet until it is spent. You can change or revoke the limit at any time with one transaction.',
  ]
  if (kind === 'test')
    return ['The test wallet will sign and send it without asking you. Gas is paid in test ether.', ...end]
  const way = planned?.change.way
  const prompts = planned === undefined ? undefined : countPrompts(planned.change)
  if (way === 'none' || prompts === 1)
    return [
      'Your wallet will ask you to confirm the transaction that sets the limits. It will show the gas fee.',
      ...end,
    ]
  if (way === 'approve first')
    return [
      'Your wallet will ask you twice: first to confirm the approval, then to confirm the limits. It will show the gas fee each time.',
      'If you stop in between, nothing can be spent. This page will continue with the step that is still missing.',
      ...end,
    ]
  if (way === 'approve last')
    return [
      'Your wallet will ask you twice: first to confirm the lower limits, then to confirm the lower approval. It will show the gas fee each time.',
      'If you stop in between, the lower limits will already be in effect.',
      ...end,
    ]
  return [
    'Your wallet will ask you twice: first to sign the approval, which is free, then to confirm the one transaction that sets both. It will show the gas fee.',
    ...end,
  ]
}
