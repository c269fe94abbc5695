import type { ReactNode } from 'react'
import { Component } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'

const Fault = ({ detail }: { readonly detail: string }) => {
  const { t } = useI18n()
  return (
    <div className="empty" role="alert">
      <span className="empty-icon empty-bad">
        <Icon name="alert" size={24} />
      </span>
      <h1 className="empty-title">{t('console.fault.title')}</h1>
      <p className="empty-text">{t('console.fault.text')}</p>
      {detail === '' ? null : <p className="empty-detail break">{detail}</p>}
      <div className="empty-actions">
        <Button kind="secondary" icon="refresh" onClick={() => location.reload()}>
          {t('console.fault.again')}
        </Button>
      </div>
    </div>
  )
}

/**
 * Catches the errors of one screen, so that the navigation and the other screens keep working. The screen has a bug, or its code or texts
 * did not load, for example after an update of the server. Giving the component another React key clears the error.
 */
export class ScreenBoundary extends Component<{ readonly children: ReactNode }, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {}
  static getDerivedStateFromError(error: unknown) {
    return { error }
  }
  override render() {
    if (!('error' in this.state)) return this.props.children
    const { error } = this.state
    return <Fault detail={error instanceof Error ? error.message : ''} />
  }
}
