import { onceEach } from '../../stage/strange-outputs.ts'

/** Returns the unusual output at this index of the list. */
export default ({ place }: { readonly place: number }): unknown => onceEach[place]?.make()
