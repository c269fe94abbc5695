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
  /** Name of the saved view that the list shows now. Undefined if the list shows no saved view. */
  readonly name: string | undefined
  readonly isOpen: boolean
  readonly setIsOpen: (isOpen: boolean) => void
}

/** A menu with the saved views and the columns of a list. */
export const ViewMenu = ({ views, columns, name, isOpen, setIsOpen }: ViewMenuProps) => {
  const { t } = useI18n()
  const button = useRef<HTMLButtonElement>(null)
  const [dialog, setDialog] = useState<'save' | 'manage'>()
  const hadDialog = useRef(false)
  // The dialog was opened by a menu item that no longer exists, so closing it moves the focus to the button of the menu.
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
