import type { Attack } from '../attack.ts'
import { hostileRegistration } from './hostile-registration.ts'
import { largeInputs } from './large-inputs.ts'
import { largeOrders } from './large-orders.ts'

/** Work that checking declarations, inputs and patterns can cost. */
export const checkingAttacks: readonly Attack[] = [hostileRegistration, largeOrders, largeInputs]
