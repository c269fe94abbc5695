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
/** Starts loading the code and the texts of a component. */
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

/** Makes a section whose code and texts are loaded when it is first opened. It is for rarely used sections. */
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

/** Makes a part of a page whose code and texts are loaded later. It is for parts that are often empty, so nothing is shown in their place. */
export const lazyPart = <M,>(load: Load<M>, pick: (module: M) => ComponentType) => {
  const LazyPart = () => {
    const { Part } = useLazy(load, pick)
    return Part === undefined ? null : <Part />
  }
  return LazyPart
}
