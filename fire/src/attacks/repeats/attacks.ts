import type { Attack } from '../attack.ts'
import { rebuildHeader } from './rebuild-header.ts'

/** Who is given a stored output. */
export const repeatsAttacks: readonly Attack[] = [rebuildHeader]
