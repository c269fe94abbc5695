import type { ReactNode } from 'react'
import { Component } from 'react'
import { useI18n } from '../shared/text.tsx'
import { Button } from '../shared/ui.tsx'
import { Card, Heading } from './shell.tsx'

export const CouldNotLoad = () => {
  const { t } = useI18n()
  return (
    <Card>
      <Heading title={t('load.title')}>{t('load.text')}</Heading>
      <div className="actions" role="alert">
        <Button icon="refresh" onClick={() => location.reload()}>
          {t('common.reload')}
        </Button>
      </div>
    </Card>
  )
}

interface State {
  readonly failed: boolean
}

/** Shows a message if a part of the page did not load. It is a class because React only supports error boundaries as classes. */
export class FailureBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { failed: false }

  static getDerivedStateFromError(): State {
    return { failed: true }
  }

  override render() {
    return this.state.failed ? <CouldNotLoad /> : this.props.children
  }
}
