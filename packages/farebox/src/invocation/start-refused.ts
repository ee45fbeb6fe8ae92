/** Several things, each of which stands in the way of a start; told one after the other. */
export class StartRefused extends AggregateError {
  override readonly name = 'StartRefused'
}
