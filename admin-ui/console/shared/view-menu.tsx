import { Menu } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import type { KeptViews } from './kept-list.ts'
import { ViewButton } from './view-button.tsx'
import { ManageViews, SaveView } from './view-dialogs.tsx'

interface ViewMenuProps {
  readonly views: KeptViews
  readonly columns: readonly { readonly id: string; readonly label: string }[]
  /** Name of the present view; undefined for an unsaved one. */
  readonly name: string | undefined
  readonly isOpen: boolean
  readonly setIsOpen: (isOpen: boolean) => void
}

/** Saved views and columns of a list. */
export const ViewMenu = ({ views, columns, name, isOpen, setIsOpen }: ViewMenuProps) => {
  const { t } = useI18n()
  const button = useRef<HTMLButtonElement>(null)
  const [dialog, setDialog] = useState<'save' | 'manage'>()
  const hadDialog = useRef(false)
  // The menu item that opened the dialog has disappeared, so the focus returns to the button.
  useEffect(() => {
    if (dialog === undefined && hadDialog.current) button.current?.focus()
    hadDialog.current = dialog !== undefined
  }, [dialog])
  const { hidden } = views
  const close = () => setDialog(undefined)
  const isPlain = Object.keys(views.now.query).length === 0 && hidden.length === 0
  return (
    <>
      <Menu width={260} opened={isOpen} onChange={setIsOpen}>
        <Menu.Target>
          <ViewButton ref={button} name={name} />
        </Menu.Target>
        <Menu.Dropdown>
          <div className="menu-label" role="presentation">
            {t('lists.views')}
          </div>
          <Menu.RadioItem value="" checked={isPlain} onChange={() => views.apply({ query: {}, hidden: [] })}>
            {t('console.table.all')}
          </Menu.RadioItem>
          {views.views.map((view) => (
            <Menu.RadioItem key={view.name} value={view.name} checked={view.name === name} onChange={() => views.apply(view)}>
              <span className="break">{view.name}</span>
            </Menu.RadioItem>
          ))}
          <Menu.Item leftSection={<Icon name="plus" size={16} />} onClick={() => setDialog('save')}>
            {t('lists.saveView')}
          </Menu.Item>
          {views.views.length === 0 ? null : (
            <Menu.Item leftSection={<Icon name="more" size={16} />} onClick={() => setDialog('manage')}>
              {t('lists.manageViews')}
            </Menu.Item>
          )}
          <Menu.Divider />
          <div className="menu-label" role="presentation">
            {t('lists.columns')}
          </div>
          {columns.map(({ id, label }, index) => (
            <Menu.CheckboxItem
              key={id}
              checked={index === 0 || !hidden.includes(id)}
              disabled={index === 0}
              closeMenuOnClick={false}
              onChange={(isShown) => views.hide(isShown ? hidden.filter((one) => one !== id) : [...hidden, id])}
            >
              {label}
            </Menu.CheckboxItem>
          ))}
        </Menu.Dropdown>
      </Menu>
      {dialog === 'save' ? <SaveView views={views} onClose={close} /> : null}
      {dialog === 'manage' ? <ManageViews views={views} onClose={close} /> : null}
    </>
  )
}
