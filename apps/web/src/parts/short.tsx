import type { ReactNode } from 'react'
import { checksumAddress, shortAddress, shortHash } from '../format/address.ts'

/** An address, by its ends; the whole of it on hover. */
export function Address({ of }: { readonly of: string }): ReactNode {
  return (
    <span className="mono" title={checksumAddress(of)}>
      {shortAddress(of)}
    </span>
  )
}

/** A hash, a transaction or a job id, by its ends; the whole of it on hover. */
export function Hash({ of }: { readonly of: string }): ReactNode {
  return (
    <span className="mono" title={of}>
      {shortHash(of)}
    </span>
  )
}
