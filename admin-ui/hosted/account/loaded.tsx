import type { ReactNode } from 'react'
import { useEffect, useRef, useState } from 'react'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'

export interface Loaded<T> {
  readonly state: 'loading' | 'failed' | 'there'
  readonly value: T | undefined
  /** Loads again; what is there stays until the new arrives. */
  readonly reload: () => Promise<void>
}

/** Something a section asks for when it is opened, and anew when what it depends on has changed. */
export const useLoaded = <T,>(load: () => Promise<T>, dependsOn = ''): Loaded<T> => {
  const [state, setState] = useState<Loaded<T>['state']>('loading')
  const [value, setValue] = useState<T>()
  const latest = useRef(0)
  const reload = async () => {
    const turn = ++latest.current
    try {
      const next = await load()
      if (turn !== latest.current) return
      setValue(next)
      setState('there')
    } catch {
      if (turn === latest.current) setState((before) => (before === 'there' ? 'there' : 'failed'))
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for again only when that has changed.
  useEffect(() => {
    void reload()
  }, [dependsOn])
  return {
    state,
    value,
    reload: () => {
      setState((before) => (before === 'there' ? 'there' : 'loading'))
      return reload()
    },
  }
}

interface ArrivingProps<T> {
  readonly of: Loaded<T>
  /** How many rows to keep room for. */
  readonly rows: number
  readonly children: (value: T) => ReactNode
}

/** Room for a list while it is on its way, a way to try again when it did not come, else the list. */
export const Arriving = <T,>({ of: { state, value, reload }, rows, children }: ArrivingProps<T>) => {
  const { t } = useI18n()
  if (value !== undefined) return children(value)
  if (state === 'failed') {
    return (
      <div className="not-arrived" role="alert">
        <p>{t('load.title')}</p>
        <Button kind="secondary" icon="refresh" onClick={() => void reload()}>
          {t('common.reload')}
        </Button>
      </div>
    )
  }
  return (
    <div aria-busy="true">
      <p className="unseen">{t('common.loading')}</p>
      {Array.from({ length: rows }, (_, index) => `row ${index}`).map((key) => (
        <div key={key} className="row">
          <span className="bone bone-tile" />
          <span className="row-words">
            <span className="bone bone-line" />
            <span className="bone bone-line-short" />
          </span>
        </div>
      ))}
    </div>
  )
}
