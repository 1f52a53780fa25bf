// The controls of an output as a user finds and moves them: by the text beside or on them.

/// The place of a control in `area`, by its description.
const row = (area, label) => area.locator('.jupyter-widgets.widget-inline-hbox, .widget-checkbox')
  .filter({ hasText: label, visible: true }).first();

export const button = (area, text) => area.locator('button').filter({ hasText: text });

export const tab = (area, title) => area.locator('.lm-TabBar-tab').filter({ hasText: title });

const handle = (area, label) => row(area, label).locator('.noUi-handle');

/// Drags a slider's handle with the mouse to a part (0 to 1) of its way.
export async function drag(area, label, part) {
  const page = area.page();
  await handle(area, label).scrollIntoViewIfNeeded();
  const knob = await handle(area, label).boundingBox();
  const way = await row(area, label).locator('.noUi-base').boundingBox();
  const y = knob.y + knob.height / 2;
  await page.mouse.move(knob.x + knob.width / 2, y);
  await page.mouse.down();
  await page.mouse.move(way.x + way.width * part, y, { steps: 10 });
  await page.mouse.up();
}

/// Presses a key so many times on a slider.
export async function press(area, label, key, times = 1) {
  await handle(area, label).focus();
  for (let i = 0; i < times; i++) await area.page().keyboard.press(key);
}

/// The number beside a slider.
export async function readout(area, label) {
  return Number(await row(area, label).locator('.widget-readout').innerText());
}

export const field = (area, label) => row(area, label).locator('input, textarea').first();

/// Types into a field and leaves it with Enter.
export async function type(area, label, text) {
  await field(area, label).fill(text);
  await field(area, label).press('Enter');
}

export async function choose(area, label, option) {
  await row(area, label).locator('select').selectOption(option);
}

export async function tick(area, label) {
  await row(area, label).locator('input[type=checkbox]').click();
}

/// Hands a file to an upload button.
export async function upload(area, text, file) {
  const chooser = area.page().waitForEvent('filechooser');
  await button(area, text).click();
  await (await chooser).setFiles(file);
}
