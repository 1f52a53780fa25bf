// Traces that take their time: one file of about 500 MB under several names.
import fs from 'node:fs';
import path from 'node:path';

const ranks = 16, steps = 4000, bytes = 500e6;

/// One block of records; every time begins with five digits that count the blocks.
function block() {
  const lines = [];
  const at = ns => '00000' + String(ns).padStart(8, '0');
  for (let step = 0; step < steps; step++) {
    for (let rank = 1; rank <= ranks; rank++) {
      const who = `${rank}:1:${rank}:1`, from = step * 25000, to = from + 20000 + 70 * rank;
      lines.push(`1:${who}:${at(from)}:${at(to)}:1\n`,
        `2:${who}:${at(to)}:50000002:8:42000050:${1000 + step}\n`,
        `2:${who}:${at(from + 24000)}:50000002:0\n`);
    }
  }
  return Buffer.from(lines.join(''), 'latin1');
}

/// Where the counting digits are: after the fifth colon, and the sixth one of a state.
function countersOf(records) {
  const places = [];
  let colons = 0;
  for (let i = 0, kind = records[0]; i < records.length; i++) {
    if (records[i] === 0x0a) {
      colons = 0;
      kind = records[i + 1];
    } else if (records[i] === 0x3a) {
      colons += 1;
      if (colons === 5 || (colons === 6 && kind === 0x31)) places.push(i + 1);
    }
  }
  return places;
}

/// Writes `count` names of one trace into the folder; they share its space.
export function writeBigTraces(folder, count) {
  fs.mkdirSync(folder);
  const records = block(), places = countersOf(records), blocks = Math.ceil(bytes / records.length);
  const first = path.join(folder, 'big_1.prv');
  const file = fs.openSync(first, 'w');
  const layout = `1(${ranks}):1:${ranks}(${Array(ranks).fill('1:1').join(',')})`;
  fs.writeSync(file, `#Paraver (01/01/2026 at 00:00):${blocks}00000000_ns:${layout}\n`);
  for (let i = 0; i < blocks; i++) {
    const digits = Buffer.from(String(i).padStart(5, '0'), 'latin1');
    for (const place of places) digits.copy(records, place);
    fs.writeSync(file, records);
  }
  fs.closeSync(file);
  for (let i = 2; i <= count; i++) fs.linkSync(first, path.join(folder, `big_${i}.prv`));
}
