import type { ReactNode } from 'react'
import { formatAddress, shortAddress, shortHash } from '../format/address.ts'
import { useSite } from '../site/site.ts'
import { CopyButton } from './copy-button.tsx'

/** An address, by its ends; the whole of it on hover. */
export function Address({ of }: { readonly of: string }): ReactNode {
  return (
    <span className="mono" title={formatAddress(of)}>
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

/** A hash by its ends, and the whole of it to copy. */
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

/** A transaction of this platform's chain: where an explorer has it, with the way there. */
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
