import { useEffect } from 'react'
import type { SkeletonKind } from './skeleton.tsx'
import { Skeleton } from './skeleton.tsx'

/** Leaves for another page without a trace in the history; shows the shape of this one meanwhile. */
export const Redirect = ({ to, kind }: { readonly to: string; readonly kind: SkeletonKind }) => {
  useEffect(() => location.replace(to), [to])
  return <Skeleton kind={kind} client={false} />
}
