import { useEffect, useRef, useState } from 'react'
import { Dialog } from '../../shared/dialog.tsx'
import { Field } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import type { KeptViews } from './kept-list.ts'

interface ViewDialogProps {
  readonly views: KeptViews
  readonly onClose: () => void
}

const longestName = 60

interface NameFormProps {
  readonly label: string
  readonly name?: string
  readonly hint?: string
  readonly onName: (name: string) => void
  readonly onCancel: () => void
}

const NameForm = ({ label, name, hint, onName, onCancel }: NameFormProps) => {
  const { t } = useI18n()
  return (
    <form
      className="confirm"
      onSubmit={(event) => {
        event.preventDefault()
        const given = String(new FormData(event.currentTarget).get('name') ?? '').trim()
        if (given !== '') onName(given)
      }}
    >
      <Field name="name" label={label} hint={hint} defaultValue={name} maxLength={longestName} autoComplete="off" />
      <div className="dialog-actions">
        <Button kind="secondary" onClick={onCancel}>
          {t('console.confirm.cancel')}
        </Button>
        <Button type="submit">{t('console.form.save')}</Button>
      </div>
    </form>
  )
}

/** A dialog that saves the present filters, sort order and columns under a name. A view that already has this name is replaced. */
export const SaveView = ({ views, onClose }: ViewDialogProps) => {
  const { t } = useI18n()
  return (
    <Dialog title={t('lists.saveView').replace('…', '')} onClose={onClose}>
      <NameForm
        label={t('lists.viewName')}
        hint={t('lists.saveHint')}
        onName={(name) => {
          views.setViews([...views.views.filter((view) => view.name !== name), { name, ...views.now }])
          onClose()
        }}
        onCancel={onClose}
      />
    </Dialog>
  )
}

/** A dialog that renames and deletes saved views. */
export const ManageViews = ({ views: { views, setViews }, onClose }: ViewDialogProps) => {
  const { t } = useI18n()
  const [renamed, setRenamed] = useState<string>()
  const content = useRef<HTMLDivElement>(null)
  // Sending a form or deleting a view can remove the element with the focus. The focus then moves to the first control of the dialog.
  useEffect(() => {
    if (content.current?.contains(document.activeElement) !== true)
      content.current?.querySelector<HTMLElement>('input, button')?.focus()
  })
  const rename = (name: string) => {
    const others = views.filter((view) => view.name !== name || name === renamed)
    setViews(others.map((view) => (view.name === renamed ? { ...view, name } : view)))
    setRenamed(undefined)
  }
  return (
    <Dialog title={t('lists.views')} onClose={onClose}>
      <div ref={content}>
        {renamed === undefined ? (
          <>
            {views.length === 0 ? <p>{t('lists.noViews')}</p> : null}
            <ul className="view-list">
              {views.map(({ name }) => (
                <li key={name} className="view-line">
                  <span className="break">{name}</span>
                  <Button kind="secondary" name={`${t('lists.rename')}: ${name}`} onClick={() => setRenamed(name)}>
                    {t('lists.rename')}
                  </Button>
                  <Button
                    kind="secondary"
                    name={`${t('lists.deleteView')}: ${name}`}
                    onClick={() => setViews(views.filter((view) => view.name !== name))}
                  >
                    {t('lists.deleteView')}
                  </Button>
                </li>
              ))}
            </ul>
            <div className="dialog-actions">
              <Button kind="secondary" onClick={onClose}>
                {t('console.peek.close')}
              </Button>
            </div>
          </>
        ) : (
          <NameForm label={t('lists.viewName')} name={renamed} onName={rename} onCancel={() => setRenamed(undefined)} />
        )}
      </div>
    </Dialog>
  )
}
