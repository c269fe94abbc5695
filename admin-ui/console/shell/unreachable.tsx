import type { ApiError } from '../../../src/http/client.ts'
import { Failure } from '../shared/failure.tsx'

/** Replaces everything if the server did not return the session. */
export const Unreachable = ({ error }: { readonly error: ApiError }) => (
  <main className="outside">
    <Failure error={error} isPage onRetry={() => location.reload()} />
  </main>
)
