import type { ReactNode } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useCopy } from './use-copy.ts'

/** The beginning and the end of a long id. They are enough to tell ids apart. */
export const shortened = (id: string): string => (id.length <= 16 ? id : `${id.slice(0, 6)}…${id.slice(-6)}`)

interface CopyProps {
  readonly id: string
  /** What the button shows before the icon. The button's accessible name says what it copies. */
  readonly children: ReactNode
}

const CopyButton = ({ id, children }: CopyProps) => {
  const { t } = useI18n()
  const { outcome, copy } = useCopy(id)
  return (
    <button type="button" className="id" title={id} onClick={() => void copy()}>
      {children}
      <Icon name={outcome === 'done' ? 'check' : 'copy'} size={14} />
      <span className="visually-hidden" role="status">
        {outcome === undefined ? '' : t(outcome === 'done' ? 'console.copied' : 'console.copyFailed')}
      </span>
    </button>
  )
}

/** An id, shortened in the middle. Pressing it copies the whole id. */
export const Id = ({ id }: { readonly id: string }) => {
  const { t } = useI18n()
  return (
    <CopyButton id={id}>
      <code>{shortened(id)}</code>
      <span className="visually-hidden">{t('console.copy')}</span>
    </CopyButton>
  )
}

/** A button that copies an id. It stands behind the name of the thing. */
export const CopyId = ({ id, name }: { readonly id: string; readonly name: string }) => {
  const { t } = useI18n()
  return (
    <CopyButton id={id}>
      <span className="visually-hidden">{t('console.copyIdOf', { name })}</span>
    </CopyButton>
  )
}
