import type { ComponentType } from 'react'
import { useEffect, useState } from 'react'
import { useAddTexts } from '../../shared/text.tsx'
import { Loaded } from './loading.tsx'
import { Panel } from './section.tsx'

interface Props {
  readonly path: string
}

type State = { readonly Area?: ComponentType<Props>; readonly turn: number; readonly failed: boolean }

/** The pages about organizations: most people never open them, so code and texts come when they are wanted. */
export const OrganizationsSection = ({ path }: Props) => {
  const addTexts = useAddTexts()
  const [{ Area, turn, failed }, setState] = useState<State>({ turn: 0, failed: false })
  // biome-ignore lint/correctness/useExhaustiveDependencies: fetched once, and again when it did not arrive.
  useEffect(() => {
    Promise.all([import('../organizations/area.tsx'), addTexts('organizations')]).then(
      ([{ OrganizationsArea }]) => setState({ Area: OrganizationsArea, turn, failed: false }),
      () => setState({ turn, failed: true }),
    )
  }, [turn])
  if (Area !== undefined) return <Area path={path} />
  const reload = async () => setState({ turn: turn + 1, failed: false })
  return (
    <Panel>
      <Loaded of={{ state: failed ? 'failed' : 'loading', value: undefined, reload }} rows={3}>
        {() => null}
      </Loaded>
    </Panel>
  )
}
