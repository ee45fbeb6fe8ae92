import type { ReactNode } from 'react'
import { formatAddress, shortAddress, shortHash } from '../format/address.ts'
import { useSite } from '../site/site.ts'
import { CopyButton } from './copy-button.tsx'

/** The first and last digits of an address; the full address on hover. */
export function Address({ of }: { readonly of: string }): ReactNode {
  return (
    <span className="mono" title={formatAddress(of)}>
      {shortAddress(of)}
    </span>
  )
}

/** The first and last digits of a hash, a transaction or a job id; the full text on hover. */
export function Hash({ of }: { readonly of: string }): ReactNode {
  return (
    <span className="mono" title={of}>
      {shortHash(of)}
    </span>
  )
}

/** The first and last digits of a hash, with a button that copies all of it. */
export function CopiedHash({ of }: { readonly of: string }): ReactNode {
  return (
    <>
      <Hash of={of} />{' '}
      <CopyButton className="link" text={() => of}>
        Copy
      </CopyButton>
    </>
  )
}

/** A transaction of this platform's chain, linked to the block explorer if there is one. */
export function Transaction({ of }: { readonly of: string }): ReactNode {
  const { platform } = useSite()
  if (platform.explorer_url === undefined) return <CopiedHash of={of} />
  return (
    <>
      <CopiedHash of={of} />{' '}
      <a href={`${platform.explorer_url}/tx/${of}`} target="_blank" rel="noreferrer">
        Explorer
      </a>
    </>
  )
}
