import type { ComponentType } from 'react'
import { useEffect, useState } from 'react'
import { Loaded } from '../../shared/loading.tsx'
import { useAddTexts } from '../../shared/text.tsx'
import { Panel } from './section.tsx'

interface SectionProps {
  readonly path: string
  readonly query: URLSearchParams
}

type AddTexts = ReturnType<typeof useAddTexts>
/** Fetches the code and the texts of a part. */
type Load<M> = (addTexts: AddTexts) => readonly [Promise<M>, Promise<void>]
type State<P> = { readonly Part?: ComponentType<P>; readonly turn: number; readonly failed: boolean }

const useLazy = <M, P>(load: Load<M>, pick: (module: M) => ComponentType<P>) => {
  const addTexts = useAddTexts()
  const [{ Part, turn, failed }, setState] = useState<State<P>>({ turn: 0, failed: false })
  // biome-ignore lint/correctness/useExhaustiveDependencies: fetched once, and again when it did not arrive.
  useEffect(() => {
    Promise.all(load(addTexts)).then(
      ([module]) => setState({ Part: pick(module), turn, failed: false }),
      () => setState({ turn, failed: true }),
    )
  }, [turn])
  return { Part, failed, reload: async () => setState({ turn: turn + 1, failed: false }) }
}

/** A rarely used section. Its code and texts are loaded when it is opened. */
export const lazySection = <M,>(load: Load<M>, pick: (module: M) => ComponentType<SectionProps>) => {
  const LazySection = (props: SectionProps) => {
    const { Part, failed, reload } = useLazy(load, pick)
    if (Part !== undefined) return <Part {...props} />
    return (
      <Panel>
        <Loaded of={{ state: failed ? 'failed' : 'loading', value: undefined, reload }} rows={3}>
          {() => null}
        </Loaded>
      </Panel>
    )
  }
  return LazySection
}

/** A part of a page that is often empty. Nothing is shown before it is loaded. */
export const lazyPart = <M,>(load: Load<M>, pick: (module: M) => ComponentType) => {
  const LazyPart = () => {
    const { Part } = useLazy(load, pick)
    return Part === undefined ? null : <Part />
  }
  return LazyPart
}
