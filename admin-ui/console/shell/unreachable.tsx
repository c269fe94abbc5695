import type { ApiError } from '../../../src/http/client.ts'
import { Failure } from '../shared/failure.tsx'

/** Shown in place of the whole console if the session could not be loaded from the server. */
export const Unreachable = ({ error }: { readonly error: ApiError }) => (
  <main className="outside">
    <Failure error={error} isPage onRetry={() => location.reload()} />
  </main>
)
