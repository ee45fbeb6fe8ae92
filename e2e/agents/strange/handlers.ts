import { onceEach } from '../../stage/strange-outputs.ts'

/** Gives the strange output at this place of the list. */
export default ({ place }: { readonly place: number }): unknown => onceEach[place]?.make()
