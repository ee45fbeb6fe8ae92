import type { Secret } from '@farebox/platform-api/owners'
import type { ReactNode } from 'react'
import { Hash } from '../../parts/short.tsx'
import { Words } from '../../parts/words.tsx'

/** The label of a secret, or else its id. */
export function SecretName({ of }: { readonly of: Pick<Secret, 'label' | 'secret_id'> }): ReactNode {
  return of.label === null || of.label === '' ? (
    <Hash of={of.secret_id} />
  ) : (
    <b>
      <Words of={of.label} most={64} />
    </b>
  )
}
