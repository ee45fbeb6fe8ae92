import type { ReactNode } from 'react'
import { useSite } from '../site/site.ts'
import { declaredSpend } from './declared-spend.ts'

/** Stands beside the price of a capability that moves tokens of its caller; nothing where it declares none (PERM-06). */
export function MovesTag(props: {
  readonly permissions: readonly { readonly [key: string]: unknown }[]
}): ReactNode {
  const { platform } = useSite()
  if (platform.spend_permissions_address === null || declaredSpend(props.permissions) === undefined)
    return null
  return <span className="tag warn">moves your USDC</span>
}
