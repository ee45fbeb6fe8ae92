import type { Attack } from '../attack.ts'
import { oneByteAnswers } from './one-byte-answers.ts'
import { oneByteRequests } from './one-byte-requests.ts'
import { waitingRequests } from './waiting-requests.ts'

/** Request and answer bodies: their size, their pieces, and what can be charged but not delivered. */
export const bodiesAttacks: readonly Attack[] = [oneByteRequests, oneByteAnswers, waitingRequests]
