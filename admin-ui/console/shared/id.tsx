import type { ReactNode } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useCopy } from './use-copy.ts'

/** An id shortened to its beginning and end, which are enough to distinguish ids. */
export const shortened = (id: string): string => (id.length <= 16 ? id : `${id.slice(0, 6)}…${id.slice(-6)}`)

interface CopyProps {
  readonly id: string
  /** Content before the icon. The accessible name of the button contains the rest. */
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

/** An id, shortened in the middle. The button copies the whole id. */
export const Id = ({ id }: { readonly id: string }) => {
  const { t } = useI18n()
  return (
    <CopyButton id={id}>
      <code>{shortened(id)}</code>
      <span className="visually-hidden">{t('console.copy')}</span>
    </CopyButton>
  )
}

/** A button that copies the id of the thing whose name is before it. */
export const CopyId = ({ id, name }: { readonly id: string; readonly name: string }) => {
  const { t } = useI18n()
  return (
    <CopyButton id={id}>
      <span className="visually-hidden">{t('console.copyIdOf', { name })}</span>
    </CopyButton>
  )
}
