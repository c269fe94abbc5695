import type { ReactNode } from 'react'
import { useEffect, useRef, useState } from 'react'
import { useI18n } from './text.tsx'
import { Button } from './ui.tsx'

export interface LoadState<T> {
  readonly state: 'loading' | 'failed' | 'ready'
  readonly value: T | undefined
  /** Loads the data again. The present data stays until then. */
  readonly reload: () => Promise<void>
}

/** Data that a section requests when it is opened, and again when `dependsOn` changes. */
export const useLoader = <T,>(load: () => Promise<T>, dependsOn = ''): LoadState<T> => {
  const [state, setState] = useState<LoadState<T>['state']>('loading')
  const [value, setValue] = useState<T>()
  const latest = useRef(0)
  const reload = async () => {
    const request = ++latest.current
    try {
      const next = await load()
      if (request !== latest.current) return
      setValue(next)
      setState('ready')
    } catch {
      if (request === latest.current) setState((before) => (before === 'ready' ? 'ready' : 'failed'))
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the data is requested again only when `dependsOn` has changed.
  useEffect(() => {
    void reload()
  }, [dependsOn])
  return {
    state,
    value,
    reload: () => {
      setState((before) => (before === 'ready' ? 'ready' : 'loading'))
      return reload()
    },
  }
}

interface LoadedProps<T> {
  readonly of: LoadState<T>
  /** Number of rows to reserve space for. */
  readonly rows: number
  readonly children: (value: T) => ReactNode
}

/** Shows data when it has loaded. Before that it reserves the space, and after a failure it has a button to try again. */
export const Loaded = <T,>({ of: { state, value, reload }, rows, children }: LoadedProps<T>) => {
  const { t } = useI18n()
  if (value !== undefined) return children(value)
  if (state === 'failed') {
    return (
      <div className="load-failed" role="alert">
        <p>{t('load.title')}</p>
        <Button kind="secondary" icon="refresh" onClick={() => void reload()}>
          {t('common.reload')}
        </Button>
      </div>
    )
  }
  return (
    <div aria-busy="true">
      <p className="visually-hidden">{t('common.loading')}</p>
      {Array.from({ length: rows }, (_, index) => `row ${index}`).map((key) => (
        <div key={key} className="row">
          <span className="placeholder placeholder-tile" />
          <span className="row-text">
            <span className="placeholder placeholder-line" />
            <span className="placeholder placeholder-line-short" />
          </span>
        </div>
      ))}
    </div>
  )
}
