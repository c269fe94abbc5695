import type { ApiError } from '../../../src/http/client.ts'
import { Failure } from '../shared/failure.tsx'

/** When the server did not say who is here: nothing else can be shown. */
export const Unreachable = ({ error }: { readonly error: ApiError }) => (
  <main className="outside">
    <Failure error={error} isPage onRetry={() => location.reload()} />
  </main>
)
