import { expectAttacksToFail } from '../expect-attacks-to-fail.test-setup.ts'
import { bodiesAttacks } from './attacks.ts'

expectAttacksToFail(bodiesAttacks)
