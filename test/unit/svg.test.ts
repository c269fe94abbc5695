import { describe, expect, test } from 'vitest'
import { checkSvg } from '../../src/core/svg.ts'
import { svgOf } from '../support/images.ts'

const messageOf = (source: Buffer): string => {
  try {
    checkSvg(source)
    return 'taken'
  } catch (error) {
    return (error as Error).message
  }
}

describe('accepted SVGs', () => {
  const drawings: Readonly<Record<string, string>> = {
    'a path': '<path d="M0 0h10v10z" fill="#0a7"/>',
    'a gradient used by its id':
      '<defs><linearGradient id="a"><stop offset="0" stop-color="red"/></linearGradient></defs><rect width="4" height="4" fill="url(#a)"/>',
    'a symbol used by its id': '<symbol id="s"><circle r="2"/></symbol><use href="#s"/><use xlink:href="#s"/>',
    'a style sheet': '<style>.a{fill:#0a7;transform:rotate(4deg)} @</style>'.replace(' @', ''),
    'text with references': '<title>Ann &amp; Bob &#233;</title><text x="1">A &lt; B</text>',
    'a comment': '<!-- made by hand --><g aria-hidden="true" data-name="x"/>',
  }
  for (const [name, inner] of Object.entries(drawings))
    test(`the SVG of ${name} is accepted, with its size`, () => {
      expect(messageOf(svgOf(inner, 'xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 40 20"'))).toBe('taken')
    })

  test('the size of an SVG comes from the view box, or without a view box from width and height', () => {
    expect(checkSvg(svgOf(''))).toEqual({ width: 40, height: 20 })
    expect(checkSvg(svgOf('', 'width="30" height="12.5px"'))).toEqual({ width: 30, height: 13 })
    expect(messageOf(svgOf('', 'width="100%" height="100%"'))).toContain('no size')
  })

  test('an SVG with an XML declaration before it is accepted', () => {
    expect(messageOf(Buffer.concat([Buffer.from('<?xml version="1.0" encoding="UTF-8"?>\n'), svgOf('')]))).toBe('taken')
  })
})

describe('refused SVGs', () => {
  const hostile: readonly (readonly [inner: string, says: string])[] = [
    ['<script>alert(1)</script>', '<script>'],
    ['<SCRIPT>alert(1)</SCRIPT>', '<SCRIPT>'],
    ['<s:script xmlns:s="http://www.w3.org/2000/svg"/>', '<s:script>'],
    ['<foreignObject><body/></foreignObject>', '<foreignObject>'],
    ['<rect onload="alert(1)"/>', 'onload'],
    ['<rect ONCLICK="alert(1)"/>', 'ONCLICK'],
    ['<a href="javascript:alert(1)"><rect/></a>', '<a>'],
    ['<image href="https://example.com/x.png"/>', '<image>'],
    ['<use href="https://example.com/x.svg#a"/>', 'links to something outside'],
    ['<use href="&#104;ttps://example.com/x.svg#a"/>', 'links to something outside'],
    ['<use xlink:href="data:image/svg+xml,x"/>', 'links to something outside'],
    ['<animate attributeName="href" to="javascript:alert(1)"/>', '<animate>'],
    ['<set attributeName="onload" to="x"/>', '<set>'],
    ['<iframe src="/"/>', '<iframe>'],
    ['<rect fill="url(https://example.com/x)"/>', 'url(…)'],
    ['<rect fill="&#117;rl(https://example.com/x)"/>', 'url(…)'],
    ['<rect style="fill:image-set(\'x.png\' 1x)"/>', 'image-set(…)'],
    ['<rect style="fill:u\\72l(x)"/>', '\\'],
    ['<style>@import "https://example.com/x.css";</style>', '@'],
    ['<style>@font-face{src:url(x)}</style>', '@'],
    ['<style>.a{background:url(x)}</style>', 'url(…)'],
    ['<style>.a{}<g/></style>', '<style>'],
    ['<![CDATA[<script/>]]>', 'not well-formed'],
    ['<?xml-stylesheet href="x.css"?>', 'not well-formed'],
    ['<rect fill=red/>', 'not well-formed'],
    ['<rect id="a" id="b"/>', 'twice'],
    ['<g>', 'closes'],
    ['&custom;', '&custom;'],
    ['<rect xmlns="http://www.w3.org/1999/xhtml"/>', 'another xmlns'],
    ['<g>'.repeat(70) + '</g>'.repeat(70), 'too many'],
  ]
  for (const [inner, says] of hostile)
    test(`the SVG content ${inner.slice(0, 60)} is refused, and the message names the content`, () => {
      expect(messageOf(svgOf(inner))).toContain(says)
    })

  const whole: readonly (readonly [source: string | Buffer, says: string])[] = [
    ['', 'not complete'],
    ['hello', 'text outside'],
    ['<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg"/>', 'DOCTYPE'],
    ['<html xmlns="http://www.w3.org/2000/svg"/>', '<html>'],
    ['<svg viewBox="0 0 1 1"/>', 'is not one <svg'],
    [Buffer.concat([svgOf(''), svgOf('')]), 'is not one <svg'],
    [Buffer.from([0xff, 0xfe, 0x3c, 0x00]), 'not UTF-8'],
    [svgOf(' '.repeat(300_000)), 'longer than'],
    ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">', 'not complete'],
  ]
  for (const [source, says] of whole)
    test(`an SVG file that is refused as a whole gives the reason: ${says}`, () => {
      expect(messageOf(Buffer.from(source))).toContain(says)
    })
})
